import type { NextConfig } from 'next'

const config: NextConfig = {
  // Prevents Next.js from looking for packages in parent folders.
  turbopack: { root: import.meta.dirname },
}

export default config
