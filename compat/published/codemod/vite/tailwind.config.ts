import { createColorSet, withAccountKitUi } from '@account-kit/react/tailwind'

export default withAccountKitUi(
  { content: ['./index.html', './src/**/*.{ts,tsx}'] },
  {
    colors: {
      'btn-primary': createColorSet('#0b5d3b', '#8fe3bd'),
      'fg-btn-primary': createColorSet('#ffffff', '#08130e'),
      'fg-accent-brand': createColorSet('#0b5d3b', '#8fe3bd'),
    },
    borderRadius: 'md',
  },
)
