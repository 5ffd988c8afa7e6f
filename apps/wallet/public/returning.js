// Runs before the first paint: a user with a session, or with a link, does not get to see the invitation to sign in.
try {
  const session = localStorage.getItem('alchemy-signer-session')
  if (new URLSearchParams(location.search).has('bundle') || (session && !session.includes('"session":null')))
    document.documentElement.classList.add('returning')
} catch {
  // A browser that keeps nothing has no session to return to.
}
