console.error('What is published of latchkey is bundled first: run `npm run pack` at the root.')
process.exitCode = 1
