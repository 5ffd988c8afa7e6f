// Throw-away keys. The values of the documented wire that the tests of signer and frame share.

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

/** API-key stamp. */
const apiKeyStamp = {
  privateKey: '0d208bce351c0be80a33dc25e1602e95d64a89f636b8a93b5b8cc62f0812ad69',
  publicKey: '02fe206c1f884781d6870849133eabc5650042caed26755674898c7d599dd127f9',
  body: '{"organizationId":"11111111-2222-4333-8444-555555555555"}',
  signatureRaw:
    'f3edd24020bfe600d7afc323a84daa3873d86e17cc28716be921dca8db0b09a76a861e939624de62130bd254419587a2676e33dbee49e8bc5edae855d61e50c1',
  signatureDer:
    '3045022100f3edd24020bfe600d7afc323a84daa3873d86e17cc28716be921dca8db0b09a702206a861e939624de62130bd254419587a2676e33dbee49e8bc5edae855d61e50c1',
} as const

/** Requests of the client whose wire this is, in their order, and what it stored. */
const capturedTraffic = {
  lookup: '{"email":"user@example.com"}',
  signup:
    '{"email":"user@example.com","targetPublicKey":"04a387041eccc86235a7c1b1b095d500932925c0872e19abfc047d578fea53b1976a7fbac7aa62bc9dec1c3a319f6d175bd026d85838893886c294e519a6a8debe","expirationSeconds":900000,"redirectParams":"aa-is-signup=true&callback=%2Fhome+page%3Fx%3D1"}',
  auth: '{"email":"user@example.com","targetPublicKey":"04a387041eccc86235a7c1b1b095d500932925c0872e19abfc047d578fea53b1976a7fbac7aa62bc9dec1c3a319f6d175bd026d85838893886c294e519a6a8debe","expirationSeconds":900000}',
  whoami:
    '{"stampedRequest":{"body":"{\\"organizationId\\":\\"6e7bff6b-f957-443b-9e8b-969f20a823f7\\"}","stamp":{"stampHeaderName":"X-Stamp","stampHeaderValue":"eyJwdWJsaWNLZXki"},"url":"https://api.turnkey.com/public/v1/query/whoami"}}',
  signPayload:
    '{"stampedRequest":{"body":"{\\"organizationId\\":\\"6e7bff6b-f957-443b-9e8b-969f20a823f7\\",\\"type\\":\\"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2\\",\\"timestampMs\\":\\"1795246306684\\",\\"parameters\\":{\\"encoding\\":\\"PAYLOAD_ENCODING_HEXADECIMAL\\",\\"hashFunction\\":\\"HASH_FUNCTION_NO_OP\\",\\"payload\\":\\"0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750\\",\\"signWith\\":\\"0xfD46cf95D433463a641f8E5c55Eb45B7AAFa0490\\"}}","stamp":{"stampHeaderName":"X-Stamp","stampHeaderValue":"eyJwdWJsaWNLZXki"},"url":"https://api.turnkey.com/public/v1/submit/sign_raw_payload"}}',
  headers: { authorization: 'Bearer test-api-key', 'content-type': 'application/json' },
} as const

export const vectors = { credentialBundle, apiKeyStamp, capturedTraffic }
