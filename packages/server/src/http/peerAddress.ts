/** Who is at the other end of a request's connection. Known for those that came through `listen`. */
const addresses = new WeakMap<Request, string>()

export function rememberPeer(request: Request, address: string | undefined): void {
  if (address !== undefined) addresses.set(request, address)
}

/** IP address of the connection a request came over: the client, or the last proxy before this server. */
export function peerAddress(request: Request): string | undefined {
  return addresses.get(request)
}
