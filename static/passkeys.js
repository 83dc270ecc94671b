// Says why a passkey was not used or not saved: cancelled, not recognized, kept already. The library's scripts tell the
// console alone.
"use strict";

{
  const notice = document.querySelector("[data-passkey]");
  const causes = { NotAllowedError: "stopped", AbortError: "stopped", InvalidStateError: "kept" };

  document.addEventListener("allauth.error", (event) => {
    event.preventDefault(); // it is told here
    const { name } = event.detail.exception;
    if (name === "OperationError") {
      return; // pressed twice: the device still asks
    }
    const words = notice.querySelector("[data-other]");
    words.textContent = words.dataset[causes[name]] ?? words.dataset.other;
    notice.hidden = true;
    requestAnimationFrame(() => { notice.hidden = false; }); // said again, where it stood there already
  });
}
