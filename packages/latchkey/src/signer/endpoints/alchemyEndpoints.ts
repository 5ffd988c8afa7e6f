import type { Endpoints } from '../types.ts'

/** The hosted provider. */
export const alchemyEndpoints: Endpoints = {
  signerApiUrl: 'https://api.g.alchemy.com',
  getConfig: async () => ({
    custodyUrl: 'https://api.turnkey.com',
    authFrameUrl: 'https://auth.turnkey.com',
    exportFrameUrl: 'https://export.turnkey.com',
    importFrameUrl: 'https://import.turnkey.com',
    rootOrgId: '24c1acf5-810f-41e0-a503-d5d13fa8e830',
  }),
}
