/** Names and versions from the plugins' own metadata. Each address is the same on every chain that has the plugin. */
export const plugins = {
  MultiOwnerPlugin: { version: '1.0.0', address: '0xcE0000007B008F50d762D155002600004cD6c647' },
  SessionKeyPlugin: { version: '1.0.1', address: '0x0000003E0000a96de4058e1E02a62FaaeCf23d8d' },
} as const

export type PluginName = keyof typeof plugins
