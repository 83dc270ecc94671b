"""A share as a SMART Health Link: a program of a clinic finds, asks for and decrypts a document.

The protocol alone, without a model, a view or a clock: HL7, SMART Health Cards and Links, STU 1 (1.0.0), its page
"Health Links Specification". `links` makes what the patient hands on, `manifest_requests` reads what the program posts
to the address in it, `manifests` writes what it is told, `encrypting` makes the file, and `cross_origin` lets programs
ask that run in a browser.

What whoever uses these must keep, by section:

- "Establish a SMART Health Link Manifest URL": at least 256 random bits in the address, at most 128 characters.
- "Manifest Request": POST, unless the link has the flag U. A link that is no longer active is a 404. A wrong passcode
  is a 401 that says how many tries are left; they are counted over the link's whole life, also where many come at once.
  Nothing is said of a request that cannot be read, nor of one that lacks the passcode.
- "`.files.location` links": given without any further proof, for an hour at most, by GET, as `application/jose`; they
  may work once only.
- "Polling manifest for changes": a link with the flag L may be asked again and again. `Retry-After` on the answer may
  say when; too early may be a 429, with `Retry-After` as well.
- "Pre-protocol step" and "Optional: Update Shared Files": the key is random, and the same for as long as the link is.
- "User-Facing Identification Requirements": the name and the scheme `shlink:` are for links that a program can follow
  which knows no more than this specification. Nothing may be asked for besides what it names.

Of origins (CORS) the page says nothing; the programs that read such links are often web pages.
"""
