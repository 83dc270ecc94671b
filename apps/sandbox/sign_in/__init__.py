"""The provider's pages during authorization: sign-in and consent."""
