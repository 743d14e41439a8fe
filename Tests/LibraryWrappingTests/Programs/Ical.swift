// libical/ical.h --pkg-config libical
import Ical

let calendar = try Icalcomponent.newFromString(
  "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Tea\nLOCATION:Kitchen\nEND:VEVENT\nEND:VCALENDAR\n")
let event = calendar.firstComponent(.veventComponent)
print(event?.summary ?? "none", event?.location ?? "none", calendar.countComponents(.anyComponent))
