import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// React, viem and wagmi are more than Vite's limit of 500 kB by themselves.
export default defineConfig({ plugins: [react()], build: { chunkSizeWarningLimit: 800 } })
