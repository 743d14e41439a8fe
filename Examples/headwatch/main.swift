import Headwater
print("headwatch")
