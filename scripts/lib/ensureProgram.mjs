/** Finds or installs a browser engine or Debian's programs. Throws if they are unavailable. */
export async function ensureProgram(name, say) {
  if (name === 'chromium') await (await import('./ensureChromium.mjs')).ensureChromium(say)
  else if (name === 'firefox') await (await import('./ensureFirefox.mjs')).ensureFirefox(say)
  else if (name === 'webkit') await (await import('./ensureWebKit.mjs')).ensureWebKit(say)
  else await (await import('./ensureDebian.mjs')).ensureDebian(say)
}
