import { type Hex, keccak256 } from 'viem'

/** HPKE credential bundle (RFC 9180 base mode, P-256, HKDF-SHA256, AES-256-GCM, info `turnkey_hpke`). */
const credentialBundle = {
  target: {
    privateKey: 'd2fb974bc35b3e9d1432a0f6ec9d92678d4c81d0dc06006561f5d3a3c0dbb63c',
    publicKey:
      '04917b01cee808e4c75c64f3e09a9b09327c67b6772997bec68da953c9d584db73ee745892a489ab2f86d417a8c53fdb3b0e41ae6db19369dd7626dbafd89a337f',
  },
  payloadHex:
    '02f5a978025303a3aeae3982656955928f7a9d2192a9d6b0e002fc6f86faab67d87b662cd169b875e42029d40ecf60748f04969626253dbc86a7437bd2a508589089687f46701aa54170ac291976734f69',
  bundle:
    'w2VrTcUBibkmb6c5vH7tCF13GJVnqqs7cbsdBtLmXDbFf4QpS4n7NPPPZxmffByZY8YE39TPVk7HHedui5n23WyrUyhQExjCcFj8MjimEAJ12BdLLdT',
  opensTo: 'bfbf70cece7549f77912156242629b6d95f713ac610bebecaeff764b346939ad',
  credentialPublicKey: '03271b92cc5d9c255734e3fc95e99de39bc9cf81930fa4acb4df267e93b547e3e4',
} as const

const apiKeyStamp = {
  privateKey: '0d208bce351c0be80a33dc25e1602e95d64a89f636b8a93b5b8cc62f0812ad69',
  publicKey: '02fe206c1f884781d6870849133eabc5650042caed26755674898c7d599dd127f9',
  body: '{"organizationId":"11111111-2222-4333-8444-555555555555"}',
  signatureRaw:
    'f3edd24020bfe600d7afc323a84daa3873d86e17cc28716be921dca8db0b09a76a861e939624de62130bd254419587a2676e33dbee49e8bc5edae855d61e50c1',
  signatureDer:
    '3045022100f3edd24020bfe600d7afc323a84daa3873d86e17cc28716be921dca8db0b09a702206a861e939624de62130bd254419587a2676e33dbee49e8bc5edae855d61e50c1',
} as const

/** Requests of the client that defines the protocol, in order, and the data that the client stored. */
const capturedTraffic = {
  lookup: '{"email":"user@example.com"}',
  signup:
    '{"email":"user@example.com","targetPublicKey":"04a387041eccc86235a7c1b1b095d500932925c0872e19abfc047d578fea53b1976a7fbac7aa62bc9dec1c3a319f6d175bd026d85838893886c294e519a6a8debe","expirationSeconds":900000,"redirectParams":"aa-is-signup=true&callback=%2Fhome+page%3Fx%3D1"}',
  auth: '{"email":"user@example.com","targetPublicKey":"04a387041eccc86235a7c1b1b095d500932925c0872e19abfc047d578fea53b1976a7fbac7aa62bc9dec1c3a319f6d175bd026d85838893886c294e519a6a8debe","expirationSeconds":900000}',
  whoami:
    '{"stampedRequest":{"body":"{\\"organizationId\\":\\"6e7bff6b-f957-443b-9e8b-969f20a823f7\\"}","stamp":{"stampHeaderName":"X-Stamp","stampHeaderValue":"eyJwdWJsaWNLZXki"},"url":"https://api.turnkey.com/public/v1/query/whoami"}}',
  signPayload:
    '{"stampedRequest":{"body":"{\\"organizationId\\":\\"6e7bff6b-f957-443b-9e8b-969f20a823f7\\",\\"type\\":\\"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2\\",\\"timestampMs\\":\\"1795246306684\\",\\"parameters\\":{\\"encoding\\":\\"PAYLOAD_ENCODING_HEXADECIMAL\\",\\"hashFunction\\":\\"HASH_FUNCTION_NO_OP\\",\\"payload\\":\\"0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750\\",\\"signWith\\":\\"0xfD46cf95D433463a641f8E5c55Eb45B7AAFa0490\\"}}","stamp":{"stampHeaderName":"X-Stamp","stampHeaderValue":"eyJwdWJsaWNLZXki"},"url":"https://api.turnkey.com/public/v1/submit/sign_raw_payload"}}',
  passkeySignup:
    '{"passkey":{"challenge":"0q5hmfTMqy0k2S61lZIYSvYN--H7zdeur349KtdxgzM","attestation":{"credentialId":"U00hYDgzA_5Yw6OqZtv-eYKzAIryUxrqaBgJPFM3gS0","attestationObject":"o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikSZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAQECAwQFBgcIAQIDBAUGBwgAIFNNIWA4MwP-WMOjqmbb_nmCswCK8lMa6mgYCTxTN4EtpQECAyYgASFYIG2LvxKIgTJlT8OhanGzlxdy7c4TRPvyRejTG7r7c0U2IlggcKzFdvTa-VQ-ztgI2nz37RhwAw4dRiWyCKnLVLgPWxw","clientDataJson":"eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiMHE1aG1mVE1xeTBrMlM2MWxaSVlTdllOLS1IN3pkZXVyMzQ5S3RkeGd6TSIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6ODA4MCIsImNyb3NzT3JpZ2luIjpmYWxzZX0","transports":["AUTHENTICATOR_TRANSPORT_INTERNAL"]}}}',
  passkeySignPayload:
    '{"stampedRequest":{"body":"{\\"organizationId\\":\\"56bd4672-596d-46d0-9b44-0e769e5a10a7\\",\\"type\\":\\"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2\\",\\"timestampMs\\":\\"1795246315457\\",\\"parameters\\":{\\"encoding\\":\\"PAYLOAD_ENCODING_HEXADECIMAL\\",\\"hashFunction\\":\\"HASH_FUNCTION_NO_OP\\",\\"payload\\":\\"0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750\\",\\"signWith\\":\\"0x6f43e1168Ec9694A995e088EbFB4090DFbC8d76D\\"}}","stamp":{"stampHeaderName":"X-Stamp-Webauthn","stampHeaderValue":"{\\"authenticatorData\\":\\"SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAg\\",\\"clientDataJson\\":\\"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiTkdZeU0yUTVNVGxsTUdZNE1HSTRNR1JpWXpZMk1tUTVaV1JpWW1FM09UZ3hNalE1TTJaaU5tRmlNV1l3Tm1ReFlqTTFaalUyT1RKaE9EWXdPR0psT0EiLCJvcmlnaW4iOiJodHRwOi8vbG9jYWxob3N0OjgwODAiLCJjcm9zc09yaWdpbiI6ZmFsc2V9\\",\\"credentialId\\":\\"U00hYDgzA_5Yw6OqZtv-eYKzAIryUxrqaBgJPFM3gS0\\",\\"signature\\":\\"MEQCIDw2WOs2C7365HR4ld3hjz-Xfsvq_cYo_rynp5hLJqERAiA-776vscqYmKEZkHHcIg0FelAM77svL9WSEUcdgEqVxQ\\"}"},"url":"https://api.turnkey.com/public/v1/submit/sign_raw_payload"}}',
  passkeyWhoami:
    '{"stampedRequest":{"body":"{\\"organizationId\\":\\"24c1acf5-810f-41e0-a503-d5d13fa8e830\\"}","stamp":{"stampHeaderName":"X-Stamp-Webauthn","stampHeaderValue":"{\\"authenticatorData\\":\\"SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAABA\\",\\"clientDataJson\\":\\"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiTkRneU56STNOakF4WXprMlltVTBOVGM0WldFd05qTTRNekF6WXpSallqQXlPVGRtWldObU5qWTRNekJrTldFd05qSTJOVEV3TkRjek16STVaR0l5T0EiLCJvcmlnaW4iOiJodHRwOi8vbG9jYWxob3N0OjgwODAiLCJjcm9zc09yaWdpbiI6ZmFsc2V9\\",\\"credentialId\\":\\"U00hYDgzA_5Yw6OqZtv-eYKzAIryUxrqaBgJPFM3gS0\\",\\"signature\\":\\"MEUCIQD2gUSEyVR4ki-GwwJneh1yww8fze-zZrvQjIDkZS3sNAIgKyeYO9J1fbCLlXijicSz8NfuyabEbtEzkoFRNPjNQoU\\"}"},"url":"https://api.turnkey.com/public/v1/query/whoami"}}',
  listWallets: '{"organizationId":"6e7bff6b-f957-443b-9e8b-969f20a823f7"}',
  listWalletAccounts:
    '{"organizationId":"6e7bff6b-f957-443b-9e8b-969f20a823f7","walletId":"7419ed52-340c-40ed-828f-ecc50e53d788"}',
  exportWallet:
    '{"organizationId":"6e7bff6b-f957-443b-9e8b-969f20a823f7","type":"ACTIVITY_TYPE_EXPORT_WALLET","timestampMs":"1795246308592","parameters":{"walletId":"7419ed52-340c-40ed-828f-ecc50e53d788","targetPublicKey":"042b77110692ce517364f56b292e3e675e7fc1af8a5a27790f877dfa805a83bad2525f01b4f218bcb33bd3b6c8690433308eacd741d6cdb2998fe68ef39752609b"}}',
  exportWalletAccount:
    '{"organizationId":"56bd4672-596d-46d0-9b44-0e769e5a10a7","type":"ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT","timestampMs":"1795246315611","parameters":{"address":"0x6f43e1168Ec9694A995e088EbFB4090DFbC8d76D","targetPublicKey":"045165b5c72d846141a41da800dd30993eb1f6c01f0ec9db3c9465610047e1b8e0f70b08d0629642ae44fe0f8a1ae70d57d0cf6d20631ea7b857aaed622be63305"}}',
  getActivity:
    '{"activityId":"33d64016-8b1d-4a3c-9a85-92581dd04368","organizationId":"6e7bff6b-f957-443b-9e8b-969f20a823f7"}',
  createAuthenticators:
    '{"type":"ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2","timestampMs":"1795246308719","organizationId":"6e7bff6b-f957-443b-9e8b-969f20a823f7","parameters":{"userId":"6dbf685b-a930-4a92-b8a8-760b64a03ed5","authenticators":[{"attestation":{"credentialId":"iNSJOp1w0ANvdoF5LviSAIJY76DUWVqqvyhCvtWRYHY","attestationObject":"o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikSZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAQECAwQFBgcIAQIDBAUGBwgAIIjUiTqdcNADb3aBeS74kgCCWO-g1Flaqr8oQr7VkWB2pQECAyYgASFYIFt7qMQBx7gFIUMfDXKqHZNiOpvxxfQBK3j6COKJTWGAIlgg1KgRFqpHKTXFk5Q_804Dtx4UMJEmzNzruIqlkpsK7sI","clientDataJson":"eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiYjZTLVJ3anRXR0RZTGxxUzNJblVTODNJMU00NDA3bjY1OEJORTllRFh1ayIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6ODA4MCIsImNyb3NzT3JpZ2luIjpmYWxzZX0","transports":["AUTHENTICATOR_TRANSPORT_INTERNAL"]},"authenticatorName":"passkey-1795246308719","challenge":"b6S-RwjtWGDYLlqS3InUS83I1M4407n658BNE9eDXuk"}]}}',
  headers: { authorization: 'Bearer test-api-key', 'content-type': 'application/json' },
} as const

const exportBundle = {
  signingKey: {
    privateKey: '3f6e7c0593ccee73933233d9942386873f047a1f4c8c77298640efaf958ad7ad',
    publicKey:
      '041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585',
  },
  target: {
    privateKey: '8cac1118d0b3a59148d717560063dc65ebd3a6a4b7cee38e646d90d9871f9703',
    publicKey:
      '04852bdb698512b4124133f1ead6b86bef984527bf3ace8982d8411896d005a8454307216d59d8ca6c11fd2fc54e4a6fffe830fd9d55f7ed3c1ab8a8ca3097b98e',
  },
  organizationId: '11111111-2222-4333-8444-555555555555',
  bundle:
    '{"version":"v1.0.0","data":"7b22656e6361707065645075626c6963223a2230343265383462336566393666323137346630653830333262353630663030626332653962333536646165386663356566653862323564383234316664653537656530303134303164353737663461386532333932663562653031353832303034623161346666623363303063623466356163386531623334643462666433336462222c2263697068657274657874223a22373839633833333562656534623662373062643365343931336466306632396332313965326262666337396262373731303737303239323131356435383832323663383931626163306239386361613163356137653366626233633164343562363861626236353931396365353731316232363965356266633433633161303635663661373362363138633462383539366266616562222c226f7267616e697a6174696f6e4964223a2231313131313131312d323232322d343333332d383434342d353535353535353535353535227d","dataSignature":"304402203d788d7a4dc0bd43dbd03200fe99187c30a64a202d89edff250e756646edad46022022b9b1bb4d6440aba8144bb9597da985e55af034b02083282f243fa58208aa82","enclaveQuorumPublic":"041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585"}',
  opensTo: 'test test test test test test test test test test test junk',
} as const

/**
 * HPKE import bundles: the service's signed bundle, and the bundle encrypted to its target key. Signed by the export's
 * key.
 */
const importBundles = {
  target: {
    privateKey: '150e3f7c60c944f54fc15419fdd1e28eeb5dda770d366a730ae517e5c30f7004',
    publicKey:
      '0437c6501cc47da5f22fe2778d4ceed572fbeb3d3e5060056574251b5a0a0121fae3dee9df4abf103272081760928f5f01c3e8ffbf898f176b300a6379a3fd37ff',
  },
  userId: '66666666-7777-4888-9999-aaaaaaaaaaaa',
  bundle:
    '{"version":"v1.0.0","data":"7b227461726765745075626c6963223a2230343337633635303163633437646135663232666532373738643463656564353732666265623364336535303630303536353734323531623561306130313231666165336465653964663461626631303332373230383137363039323866356630316333653866666266383938663137366233303061363337396133666433376666222c226f7267616e697a6174696f6e4964223a2231313131313131312d323232322d343333332d383434342d353535353535353535353535222c22757365724964223a2236363636363636362d373737372d343838382d393939392d616161616161616161616161227d","dataSignature":"3045022039fcbc6453fb09998eeeb50a8126787b8dbebf4ef14ea47a868cd6c4fe6700d3022100955a894ad295f6d5d3a3f5778a531341eaeb2fd7bbc86bf8d6585fbb196f0205","enclaveQuorumPublic":"041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585"}',
  wallet: {
    bundle:
      '{"encappedPublic":"043708a976315232e9387bb07d2767785023dd48b30b04120c9890be1cdeed7d32c9817753660d9b31436839009fffc3952c11e3ac4ee8f786e83e48b5165ce830","ciphertext":"6db3aab7dec699564d593959ef6092a373e01afe22e1e1b538aa59415344f62148f35fdb147c600643ca5e86c774ef1832f27b878476b2d1ef0a636b3bbf04355be027f925af87a92886a4"}',
    opensTo: 'test test test test test test test test test test test junk',
  },
  privateKey: {
    bundle:
      '{"encappedPublic":"0480ec8db6ea24228fb2de906f4460559cec2b06c22452682faca428a3480ba73737f7af03ffd9de72b99b9337b735f389cb29774957ffeebe7e9b8f6715de0f3d","ciphertext":"1201425f6c5128e053077ae98714fd1bd522f67bf784a4472293eb152652ab112e417f7dcc134876a89abccea5de6285"}',
    opensTo: 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  },
} as const

export const vectors = { exportBundle, importBundles, credentialBundle, apiKeyStamp, capturedTraffic }

/** Replaces ids, keys, addresses, times and stamps by placeholders, because the protocol does not define them. */
export function neutral(body: string): string {
  return body
    .replace(/04[0-9a-f]{128}/g, '<key>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, '<address>')
    .replace(/(timestampMs\\?":\\?"|passkey-)\d{13}/g, '$1<time>')
    .replace(/("stampHeaderValue":")(?:[^"\\]|\\.)*/g, '$1<stamp>')
    .replace(/("(?:credentialId|attestationObject|clientDataJson|challenge)":")[\w-]+/g, '$1<bytes>')
    .replace(/("url":")https?:\/\/[^/]*/g, '$1<host>')
}

/**
 * Converts a request to Latchkey's service to the documented format: removes additional members, and hashes a message.
 */
export function documented(body: string): string {
  return body
    .replace(/,(\\?)"path\1":\1"[^"\\]*\1",\1"timestampMs\1":\1"\d+\1"/g, '')
    .replace(',"statement":true', '')
    .replace(
      /KECCAK256(\\?",\\?"payload\\?":\\?")(0x[0-9a-f]+)/,
      (_, between: string, message: Hex) => `NO_OP${between}${keccak256(message)}`,
    )
}
