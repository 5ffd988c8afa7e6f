/** The wallet of a new user: one Ethereum account, the first of BIP-44. */
export const newWallet = {
  walletName: 'Ethereum wallet',
  accounts: [
    {
      curve: 'CURVE_SECP256K1',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: "m/44'/60'/0'/0/0",
      addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    },
  ],
}
