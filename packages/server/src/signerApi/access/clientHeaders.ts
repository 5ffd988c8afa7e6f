/** Request headers that clients of the signer API send (preflight, WHATWG Fetch § 3.2). */
export const clientHeaders = ['authorization', 'content-type', 'alchemy-aa-sdk-version', 'alchemy-aa-sdk-signer']
