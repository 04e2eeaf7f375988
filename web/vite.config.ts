import { defineConfig } from "vite";

// One script, one style sheet, nothing from other servers. Small files are not
// inlined as data: URLs: the Content-Security-Policy would block them.
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
