// Uses only syntax that any Node with modules can parse, so that an old version prints a message instead of a stack.
export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Latchkey needs Node 20.19 or newer; this is ${version}. See https://nodejs.org.`)
  process.exit(1)
}
