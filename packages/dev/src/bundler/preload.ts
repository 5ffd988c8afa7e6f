/**
 * Runs inside the bundler's process before it, as a module of its own: the bundler would listen on every interface and
 * has no setting for it, and it would outlive us if we were killed.
 */
const source = `
import net from 'node:net'
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (options, ...rest) {
  const local = typeof options === 'object' && options !== null && 'port' in options
  return listen.call(this, local ? { ...options, host: '127.0.0.1' } : options, ...rest)
}
process.on('disconnect', () => process.exit(0))
`

export const preload = `data:text/javascript,${encodeURIComponent(source)}`
