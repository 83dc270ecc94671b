// A button that prints the page, and folds that are open on paper. Without this, the browser's own menu prints.
"use strict";

for (const place of document.querySelectorAll("[data-print]")) {
  place.hidden = false;
  place.querySelector("button").addEventListener("click", () => window.print());
}

window.addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:is(.under, .group):not([open])")) {
    fold.open = true;
    fold.dataset.opened = "";
  }
});

window.addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-opened]")) {
    fold.open = false;
    delete fold.dataset.opened;
  }
});
