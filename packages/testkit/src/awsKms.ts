import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { listen, readBody } from './signer/listen.ts'

export type TestAwsKms = Awaited<ReturnType<typeof startTestAwsKms>>

type Reply = { status: number; body: object }
const refusal = (type: string): Reply => ({
  status: type === 'KMSInternalException' ? 500 : 400,
  // Error text with sensitive details, which a client must not forward.
  body: { __type: type, message: 'The ciphertext c2VjcmV0 refers to arn:aws:kms:eu-central-1:111122223333:key/secret' },
})

/**
 * Starts a server with the AWS KMS calls that key encryption uses. Verifies Signature Version 4, key and encryption
 * context.
 */
export async function startTestAwsKms() {
  const key = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
  const credentials = {
    accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64'),
    sessionToken: randomBytes(60).toString('base64'),
    region: 'eu-central-1',
  }
  const versions = [randomBytes(32)]
  const requests: { target: string; context: Record<string, string>; accessKeyId: string | undefined }[] = []
  /** Returns the accepted credentials. */
  let readAccepted: () => readonly Omit<Credentials, 'region'>[] = () => [credentials]
  let refusals: string[] = []
  let hangs = false

  function encrypt({ Plaintext, EncryptionContext }: Parameters): Reply {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', versions.at(-1) ?? '', nonce)
    cipher.setAAD(Buffer.from(JSON.stringify(EncryptionContext)))
    const box = [cipher.update(Plaintext, 'base64'), cipher.final(), cipher.getAuthTag()]
    const blob = Buffer.concat([Buffer.of(versions.length - 1), nonce, ...box])
    return { status: 200, body: { CiphertextBlob: blob.toString('base64'), KeyId: key } }
  }

  function decrypt({ CiphertextBlob, EncryptionContext }: Parameters): Reply {
    const blob = Buffer.from(CiphertextBlob, 'base64')
    try {
      const decipher = createDecipheriv('aes-256-gcm', versions[blob[0] ?? -1] ?? '', blob.subarray(1, 13))
      decipher.setAAD(Buffer.from(JSON.stringify(EncryptionContext)))
      decipher.setAuthTag(blob.subarray(-16))
      const plaintext = Buffer.concat([decipher.update(blob.subarray(13, -16)), decipher.final()])
      return { status: 200, body: { Plaintext: plaintext.toString('base64'), KeyId: key } }
    } catch {
      return refusal('InvalidCiphertextException')
    }
  }

  function respond(request: IncomingMessage, body: string): Reply {
    const wrong = findSignatureFault(request, body, { accepted: readAccepted(), region: credentials.region })
    if (wrong) return refusal(wrong)
    const next = refusals.shift()
    if (next !== undefined) return refusal(next)
    const parameters: Parameters = JSON.parse(body)
    const target = String(request.headers['x-amz-target'])
    const accessKeyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1]
    requests.push({ target, context: parameters.EncryptionContext, accessKeyId })
    if (parameters.KeyId !== key) return refusal('NotFoundException')
    if (target === 'TrentService.Encrypt') return encrypt(parameters)
    return target === 'TrentService.Decrypt' ? decrypt(parameters) : refusal('UnknownOperationException')
  }

  const { url, close } = await listen(async (request, response) => {
    if (hangs) return
    const { status, body } = respond(request, await readBody(request))
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
  }, '127.0.0.1')
  return {
    url,
    close,
    key,
    ...credentials,
    /** Accepts only the credentials that `read` returns, which is called for each request. */
    acceptOnly: (read: () => readonly Omit<Credentials, 'region'>[]) => {
      readAccepted = read
    },
    /** Refuses the next requests with an error of this type. */
    refuse: (type: string, times = 1) => {
      refusals = Array.from({ length: times }, () => type)
    },
    /** Adds a version of the key. Older versions still decrypt. */
    rotate: () => void versions.push(randomBytes(32)),
    /** From now on, accepts connections without responding. */
    hang: () => {
      hangs = true
    },
    requests,
  }
}

type Parameters = {
  KeyId: string
  Plaintext: string
  CiphertextBlob: string
  EncryptionContext: Record<string, string>
}

type Credentials = Record<'accessKeyId' | 'secretAccessKey' | 'region', string> & { sessionToken?: string | undefined }

/** Returns the error type for a wrong request signature; undefined if the signature is valid. */
function findSignatureFault(
  request: IncomingMessage,
  body: string,
  { accepted, region: ownRegion }: { accepted: readonly Omit<Credentials, 'region'>[]; region: string },
): string | undefined {
  const { headers } = request
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, id, day = '', region, names = '', signature] = form.exec(headers.authorization ?? '') ?? []
  const time = String(headers['x-amz-date'])
  if (signature === undefined || !time.startsWith(day)) return 'IncompleteSignatureException'
  const credentials = accepted.find(({ accessKeyId }) => accessKeyId === id)
  if (!credentials) return 'UnrecognizedClientException'
  const { sessionToken } = credentials
  const signed = ['host', 'x-amz-date', 'x-amz-target', ...(sessionToken ? ['x-amz-security-token'] : [])]
  for (const name of signed) if (!names.split(';').includes(name)) return 'IncompleteSignatureException'
  if (headers['x-amz-security-token'] !== sessionToken) return 'UnrecognizedClientException'
  const isoTime = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  if (!(Math.abs(Date.parse(isoTime) - Date.now()) < 300_000)) return 'InvalidSignatureException'
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [request.method, request.url, '', lines.join(''), names, hash(body)].join('\n')
  const scope = `${day}/${region}/kms/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, hash(canonical)].join('\n')
  const parts = [day, ownRegion, 'kms', 'aws4_request']
  const signingKey = parts.reduce<Buffer>(hmac, Buffer.from(`AWS4${credentials.secretAccessKey}`))
  return hmac(signingKey, toSign).toString('hex') === signature ? undefined : 'InvalidSignatureException'
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
