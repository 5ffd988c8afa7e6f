import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// React, viem and wagmi together exceed Vite's limit of 500 kB.
export default defineConfig({ plugins: [react()], build: { chunkSizeWarningLimit: 800 } })
