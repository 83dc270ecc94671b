// A button that copies what the page has elsewhere, and says that it did; or marks it, where the browser lets nobody
// copy. Without this, one marks it oneself.
"use strict";

for (const place of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) {
    continue; // as of a site without https
  }
  const said = place.querySelector("[data-said]");
  place.hidden = false;
  place.querySelector("button").addEventListener("click", async () => {
    const source = document.getElementById(place.dataset.copy);
    said.textContent = "";
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      said.textContent = said.dataset.said;
    } catch {
      getSelection().selectAllChildren(source);
      said.textContent = said.dataset.refused;
    }
  });
}
