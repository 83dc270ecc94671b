// Keeps a session that is about to end without leaving its page, on which something may be half typed. Without this, the
// page is loaded anew.
"use strict";

{
  const ending = document.getElementById("ending");
  const stays = document.getElementById("stays");
  const form = ending.querySelector("form");

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const sent = new FormData(form);
    sent.append("here", "1");
    const answer = await fetch(form.action, { method: "POST", body: sent, redirect: "manual" }).catch(() => null);
    if (answer?.status !== 204) {
      form.submit(); // too late, or nobody answers: as without this
      return;
    }
    ending.hidden = true;
    stays.hidden = false;
    stays.focus();
  });
}
