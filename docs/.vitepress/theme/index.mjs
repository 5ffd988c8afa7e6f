import { useData } from 'vitepress'
import DefaultTheme, { VPFeatures } from 'vitepress/theme'
import { watchEffect, watchPostEffect } from 'vue'
import '../../../packages/latchkey/src/react/ui/tokens.css'
import './style.css'
import LiveExample from './LiveExample.vue'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('LiveExample', LiveExample)
    // Renders the code above the features of the home page.
    app.component('VPFeatures', VPFeatures)
  },
  setup() {
    // Switches the design tokens with the theme that the reader selects.
    const { isDark, frontmatter } = useData()
    watchEffect(() => {
      if (typeof document !== 'undefined') document.documentElement.dataset.theme = isDark.value ? 'dark' : 'light'
    })
    // VitePress's home page lacks a `main` landmark.
    watchPostEffect(() => {
      const content = typeof document === 'undefined' ? null : document.querySelector('#VPContent')
      if (frontmatter.value.layout === 'home') content?.setAttribute('role', 'main')
      else content?.removeAttribute('role')
    })
  },
}
