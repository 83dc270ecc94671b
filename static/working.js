// Says on the button that was pressed that it is seen to, where the answer takes longer than a second, so that nobody
// presses it again. Without this, the browser alone shows that it waits. Where a file answers no event tells that it
// came: what asks for one has `data-file`, and the browser's list of downloads says the rest.
"use strict";

{
  const words = document.currentScript.dataset.said;
  const after = 1000;
  const stays = 15000; // where somebody stopped the browser
  const asksForFile = "[data-file], :has(:checked[data-file])";
  let restore = () => {};

  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button || button.tagName !== "BUTTON" || event.target.matches(asksForFile)) {
      return;
    }
    restore();
    const kept = [...button.childNodes];
    const timers = [
      setTimeout(() => event.defaultPrevented || button.replaceChildren(words), after),
      setTimeout(() => restore(), stays),
    ];
    restore = () => {
      timers.forEach(clearTimeout);
      button.replaceChildren(...kept);
      restore = () => {};
    };
  });

  window.addEventListener("pageshow", () => restore()); // whoever goes back finds the page as they left it
}
