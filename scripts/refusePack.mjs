console.error('This package is bundled before it is packed: run `npm run pack` at the root.')
process.exitCode = 1
