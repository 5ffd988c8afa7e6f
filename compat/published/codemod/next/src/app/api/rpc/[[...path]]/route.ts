type Context = { params: Promise<{ path?: string[] }> }

/** Forwards the page's requests with the API key, so that the key stays on the server. */
export async function POST(request: Request, { params }: Context) {
  const { path = [] } = await params
  const url = path.length > 0 ? [process.env.SIGNER_URL, ...path].join('/') : String(process.env.RPC_URL)
  const { status, headers, body } = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${process.env.API_KEY}`,
      'content-type': 'application/json',
      origin: request.headers.get('origin') ?? '',
    },
    body: await request.text(),
  })
  return new Response(body, { status, headers: { 'content-type': headers.get('content-type') ?? '' } })
}
