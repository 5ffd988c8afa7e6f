import { parseInitialState } from 'latchkey'
import 'latchkey/styles.css'
import { hydrateRoot } from 'react-dom/client'
import { App } from './App.tsx'

const root = document.getElementById('root')
const initialState = parseInitialState(document.getElementById('latchkey-state')?.textContent)
if (root) hydrateRoot(root, <App path={location.pathname} initialState={initialState} />)
