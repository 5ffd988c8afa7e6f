/** Finds an engine that is driven like a person's browser, or installs it. Throws where it cannot be had. */
export async function ensureEngine(name, say) {
  if (name === 'chromium') await (await import('./ensureChromium.mjs')).ensureChromium(say)
  else if (name === 'firefox') await (await import('./ensureFirefox.mjs')).ensureFirefox(say)
  else await (await import('./ensureWebKit.mjs')).ensureWebKit(say)
}
