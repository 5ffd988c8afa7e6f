/** Your project, and the URL of the signer API, as in `latchkeyEndpoints`. */
export const project = {
  projectId: process.env.LATCHKEY_PROJECT ?? 'demo',
  signerApiUrl: process.env.LATCHKEY_SIGNER_API ?? 'https://wallet.example.com',
}
