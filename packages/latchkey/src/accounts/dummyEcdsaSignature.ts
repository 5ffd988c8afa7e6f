import type { Hex } from 'viem'

/** 65 bytes from which a key can be recovered, as long as the real signature: for gas estimation. */
export const dummyEcdsaSignature: Hex =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
