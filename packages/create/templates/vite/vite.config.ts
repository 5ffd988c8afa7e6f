import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // The devnet allows this origin. To use another port: `latchkey-dev --app-url http://localhost:8080 -- vite --port
  // 8080`.
  server: { port: 5173, strictPort: true },
})
