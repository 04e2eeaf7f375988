import { defineConfig } from "vite";

// One script, one style sheet, no address of anybody else. What is small is not
// put into the page as data: the Content-Security-Policy would refuse it.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    emptyOutDir: true,
    rollupOptions: {
      output: {
        entryFileNames: "assets/console.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
});
