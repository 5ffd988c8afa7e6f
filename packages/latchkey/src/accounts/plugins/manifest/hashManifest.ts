import { type Hex, keccak256 } from 'viem'
import { encodeManifest, type PluginManifest } from './encodeManifest.ts'

/** What `installPlugin` has to name, so that an owner installs the manifest they have read: keccak256 of its encoding. */
export function hashManifest(manifest: PluginManifest): Hex {
  return keccak256(encodeManifest(manifest))
}
