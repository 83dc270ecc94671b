// A button that copies what the page has elsewhere, and says that it did. Without this, one marks it and copies.
"use strict";

for (const place of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) {
    continue; // as of a site without https
  }
  const said = place.querySelector("[data-said]");
  place.hidden = false;
  place.querySelector("button").addEventListener("click", async () => {
    said.textContent = "";
    await navigator.clipboard.writeText(document.getElementById(place.dataset.copy).textContent.trim());
    said.textContent = said.dataset.said;
  });
}
