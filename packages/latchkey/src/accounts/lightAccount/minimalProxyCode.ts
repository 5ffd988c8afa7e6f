import { type Address, concat, type Hex } from 'viem'

/** Creation code of the minimal ERC-1967 proxy that the factories of LightAccount 2.x deploy. */
export function minimalProxyCode(implementation: Address): Hex {
  return concat([
    '0x603d3d8160223d3973',
    implementation,
    '0x60095155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
  ])
}
