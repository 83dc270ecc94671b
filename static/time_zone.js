// Offers the time zone of this device, where none was chosen. It is read here, and sent only by whoever presses the
// button. Without this, one chooses from the list.
"use strict";

{
  const form = document.getElementById("time-zone");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

  if (zone && zone !== "UTC") {
    form.elements.zone.value = zone;
    form.hidden = false;
  }
}
