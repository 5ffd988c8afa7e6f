import type { NextConfig } from 'next'

const config: NextConfig = {
  // Prevents Next.js from looking for a workspace in parent folders.
  turbopack: { root: import.meta.dirname },
}

export default config
