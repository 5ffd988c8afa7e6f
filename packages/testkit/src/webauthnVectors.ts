// Registrations and stamps of passkeys, recorded with throw-away keys.

/** Created by Chromium's virtual authenticator on http://localhost:8080. */
export const chromium = {
  registration: {
    challenge: '0q5hmfTMqy0k2S61lZIYSvYN--H7zdeur349KtdxgzM',
    attestation: {
      credentialId: 'U00hYDgzA_5Yw6OqZtv-eYKzAIryUxrqaBgJPFM3gS0',
      attestationObject:
        'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikSZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAQECAwQFBgcIAQIDBAUGBwgAIFNNIWA4MwP-WMOjqmbb_nmCswCK8lMa6mgYCTxTN4EtpQECAyYgASFYIG2LvxKIgTJlT8OhanGzlxdy7c4TRPvyRejTG7r7c0U2IlggcKzFdvTa-VQ-ztgI2nz37RhwAw4dRiWyCKnLVLgPWxw',
      clientDataJson:
        'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiMHE1aG1mVE1xeTBrMlM2MWxaSVlTdllOLS1IN3pkZXVyMzQ5S3RkeGd6TSIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6ODA4MCIsImNyb3NzT3JpZ2luIjpmYWxzZX0',
      transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL'],
    },
  },
  coseKey:
    'a50102032620012158206d8bbf12888132654fc3a16a71b3971772edce1344fbf245e8d31bbafb73453622582070acc576f4daf9543eced808da7cf7ed1870030e1d4625b208a9cb54b80f5b1c',
  assertion: {
    body: '{"organizationId":"56bd4672-596d-46d0-9b44-0e769e5a10a7","type":"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2","timestampMs":"1795246315457","parameters":{"encoding":"PAYLOAD_ENCODING_HEXADECIMAL","hashFunction":"HASH_FUNCTION_NO_OP","payload":"0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750","signWith":"0x6f43e1168Ec9694A995e088EbFB4090DFbC8d76D"}}',
    header:
      '{"authenticatorData":"SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAg","clientDataJson":"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiTkdZeU0yUTVNVGxsTUdZNE1HSTRNR1JpWXpZMk1tUTVaV1JpWW1FM09UZ3hNalE1TTJaaU5tRmlNV1l3Tm1ReFlqTTFaalUyT1RKaE9EWXdPR0psT0EiLCJvcmlnaW4iOiJodHRwOi8vbG9jYWxob3N0OjgwODAiLCJjcm9zc09yaWdpbiI6ZmFsc2V9","credentialId":"U00hYDgzA_5Yw6OqZtv-eYKzAIryUxrqaBgJPFM3gS0","signature":"MEQCIDw2WOs2C7365HR4ld3hjz-Xfsvq_cYo_rynp5hLJqERAiA-776vscqYmKEZkHHcIg0FelAM77svL9WSEUcdgEqVxQ"}',
  },
}

/** Created by the published clients' stamper with a P-256 passkey of app.example.com. */
export const official = {
  body: '{"organizationId":"24c1acf5-810f-41e0-a503-d5d13fa8e830"}',
  /** SHA-256 of the body in 64 hex characters. */
  challenge: '482727601c96be4578ea0638303c4cb0297fecf66830d5a0626510473329db28',
  coseKey:
    'a5010203262001215820312b86903ee39e04cbfab2f217b53febec0fdfc37c6b8f4059630ccf7156e59622582082429c24c6e54f9509faa86791fd620c1ec5f9d307797837727803df649279be',
  authenticatorDataHex: '28059829b1051f04ef03119067c0ce09e05277612890f8e0874f1d8ece1ae0340500000007',
  header:
    '{"authenticatorData":"KAWYKbEFHwTvAxGQZ8DOCeBSd2EokPjgh08djs4a4DQFAAAABw","clientDataJson":"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiTkRneU56STNOakF4WXprMlltVTBOVGM0WldFd05qTTRNekF6WXpSallqQXlPVGRtWldObU5qWTRNekJrTldFd05qSTJOVEV3TkRjek16STVaR0l5T0EiLCJvcmlnaW4iOiJodHRwczovL2FwcC5leGFtcGxlLmNvbSIsImNyb3NzT3JpZ2luIjpmYWxzZX0","credentialId":"tO7QOm74adU0lmbUulN785FNoidOAo-0JQfXbbJdGPQ","signature":"MEQCIGVcrV6N8s424bsC7SZFM54RU350Npcb9L5kybAZ0f7TAiAOhbxtG21_MOuxy5xO_5iEDcEKvcWX4sJqnefpk7-dVA"}',
}
