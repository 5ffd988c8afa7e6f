/**
 * Runs inside the bundler's process before it, as a module of its own: the bundler would listen on every interface,
 * look neither at `Host` nor at `Origin`, and has no setting for it; and it would outlive us if we were killed.
 * Pages reach it through the gateway, so a request with an `Origin` is none of ours.
 */
const source = `
import http from 'node:http'
import net from 'node:net'
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (options, ...rest) {
  const local = typeof options === 'object' && options !== null && 'port' in options
  return listen.call(this, local ? { ...options, host: '127.0.0.1' } : options, ...rest)
}
const loopback = /^(localhost|127[.]0[.]0[.]1|[[]::1[]]|[^:@/]+[.]localhost)(:[0-9]+)?$/i
const emit = http.Server.prototype.emit
http.Server.prototype.emit = function (event, ...rest) {
  if (event !== 'request' && event !== 'upgrade') return emit.call(this, event, ...rest)
  const [{ headers }, out] = rest
  if (loopback.test(headers.host ?? '') && headers.origin === undefined) return emit.call(this, event, ...rest)
  if (event === 'upgrade') out.destroy()
  else {
    const error = { code: -32000, message: 'Only programs of this machine are served here; pages use the gateway.' }
    out.writeHead(403, { 'content-type': 'application/json', connection: 'close' })
    out.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
  }
  return true
}
process.on('disconnect', () => process.exit(0))
`

export const preload = `data:text/javascript,${encodeURIComponent(source)}`
