// biome-ignore lint/performance/noReExportAll: the same names under a second path; they are listed in latchkey-protocol.
export * from 'latchkey-protocol'
// biome-ignore lint/performance/noReExportAll: see above.
export * from 'latchkey-protocol/admin'
