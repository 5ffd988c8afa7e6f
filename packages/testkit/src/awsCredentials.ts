import { randomBytes } from 'node:crypto'
import { listen, readBody } from './signer/listen.ts'

export type TestAwsCredentials = Awaited<ReturnType<typeof startTestAwsCredentials>>

type Issued = { accessKeyId: string; secretAccessKey: string; sessionToken: string }

/**
 * Issues temporary credentials like AWS: through STS for a web identity token (`AssumeRoleWithWebIdentity`), and at a
 * container's credentials URL. `validMs`: lifetime of the credentials; negative for expired credentials.
 */
export async function startTestAwsCredentials({ validMs }: { validMs: number }) {
  const webIdentityToken = randomBytes(24).toString('base64url')
  const containerToken = randomBytes(24).toString('base64url')
  const issued: (Issued & { by: 'web identity' | 'container' })[] = []

  function issue(by: 'web identity' | 'container') {
    const one = {
      by,
      accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString('base64'),
      sessionToken: randomBytes(60).toString('base64'),
    }
    issued.push(one)
    return { ...one, expiration: new Date(Date.now() + validMs).toISOString() }
  }

  const { url, close } = await listen(async (request, response) => {
    if (request.method === 'GET') {
      if (request.url !== '/container' || request.headers.authorization !== containerToken)
        return response.writeHead(403).end()
      const { accessKeyId, secretAccessKey, sessionToken, expiration } = issue('container')
      const body = {
        AccessKeyId: accessKeyId,
        SecretAccessKey: secretAccessKey,
        Token: sessionToken,
        Expiration: expiration,
      }
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const parameters = new URLSearchParams(await readBody(request))
    if (parameters.get('WebIdentityToken') !== webIdentityToken)
      return response
        .writeHead(400, { 'content-type': 'text/xml' })
        .end(
          `<ErrorResponse><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code><Message>${webIdentityToken}</Message></Error></ErrorResponse>`,
        )
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = issue('web identity')
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(`<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
<Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${expiration}</Expiration></Credentials>
</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`)
  }, '127.0.0.1')
  return { url, close, webIdentityToken, containerToken, issued }
}
