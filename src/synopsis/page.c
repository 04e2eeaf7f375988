#include "synopsis/page.h"

#include <math.h>

static const char STYLE[] =
    ":root{--page:#fbfbf9;--sheet:#fff;--ink:#1c2326;--soft:#56636a;"
    "--line:#d9dedc;--real:#8a949a;--made:#1f6f5c;--wash:#d3e8e1;"
    "--bad:#a3261c;--badwash:#fcebe9;--code:#f0f2f1;--heat:31,111,92}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14181a;--sheet:#1b2124;"
    "--ink:#e6ebec;--soft:#a3b0b6;--line:#333d42;--real:#7d8a91;"
    "--made:#6fcfb5;--wash:#234a40;--bad:#ff9a8f;--badwash:#3a1a17;"
    "--code:#20282b;--heat:111,207,181}}\n"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--page);color:var(--ink);"
    "font:16px/1.5 system-ui,\"DejaVu Sans\",sans-serif}\n"
    "main{max-width:1000px;margin:0 auto;padding:24px 16px 64px}\n"
    "h1{font-size:24px;margin:0 0 8px;overflow-wrap:anywhere}"
    "h2{font-size:18px;margin:36px 0 8px}p{margin:8px 0;max-width:720px}"
    ".soft{color:var(--soft)}\n"
    ".warn{border:2px solid var(--bad);background:var(--badwash);"
    "color:var(--bad);padding:12px 16px;border-radius:6px;margin:0 0 24px}"
    ".warn b{display:block;font-size:20px;letter-spacing:.04em}\n"
    ".wide{overflow-x:auto}.wide "
    "table{min-width:600px}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;vertical-align:top;padding:6px 14px 6px 0;"
    "border-bottom:1px solid var(--line)}th{font-weight:600}"
    "td{overflow-wrap:anywhere}.wide "
    "td{overflow-wrap:break-word}td.n,th.n{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums;overflow-wrap:normal}\n"
    "@media(max-width:600px){.stack th,.stack td{display:block;"
    "padding-right:0}.stack th{border:0;padding-bottom:0}}\n"
    "td.bar{min-width:160px}.track{position:relative;display:block;"
    "height:22px}.track i{position:absolute;left:0;top:2px;bottom:2px;"
    "background:var(--wash);border-radius:3px}.track span{position:relative;"
    "padding-left:6px;font-variant-numeric:tabular-nums}\n"
    "code,pre{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;"
    "font-size:14px}pre{background:var(--code);padding:10px 12px;"
    "border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".big{display:flex;flex-wrap:wrap;gap:12px;margin:16px 0}"
    ".big div{background:var(--sheet);border:1px solid var(--line);"
    "border-radius:8px;padding:10px 16px;flex:1 1 180px}"
    ".big b{display:block;font-size:26px;line-height:1.2}\n"
    ".plots{display:grid;gap:12px;"
    "grid-template-columns:repeat(auto-fill,minmax(min(300px,100%),1fr))}"
    ".plots figure{margin:0;background:var(--sheet);"
    "border:1px solid var(--line);border-radius:8px;padding:10px 12px}"
    "figcaption{font-weight:600;overflow-wrap:anywhere}\n"
    "svg{display:block;width:100%;height:auto}svg text{fill:var(--soft);"
    "font:11px system-ui,\"DejaVu Sans\",sans-serif}"
    ".real{fill:var(--real)}.made{fill:var(--made)}"
    ".axis{stroke:var(--line)}.cell{fill:rgb(var(--heat))}\n"
    ".key{display:inline-block;width:12px;height:12px;border-radius:2px;"
    "margin:0 6px 0 14px}.key.real{background:var(--real)}"
    ".key.made{background:var(--made)}\n"
    "details{margin:8px 0}summary{cursor:pointer;color:var(--soft)}\n";

void
page_begin(struct buf *out, const char *title)
{
    buf_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                      "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                      "content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n"
                      "<title>");
    page_text(out, str_of(title));
    buf_add_text(out, "</title>\n<style>\n");
    buf_add_text(out, STYLE);
    buf_add_text(out, "</style>\n</head>\n<body>\n<main>\n");
}

void
page_end(struct buf *out)
{
    buf_add_text(out, "</main>\n</body>\n</html>\n");
}

void
page_text(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++)
        switch (text.ptr[i]) {
        case '&': buf_add_text(out, "&amp;"); break;
        case '<': buf_add_text(out, "&lt;"); break;
        case '>': buf_add_text(out, "&gt;"); break;
        case '"': buf_add_text(out, "&quot;"); break;
        case '\'': buf_add_text(out, "&#39;"); break;
        default: buf_add(out, &text.ptr[i], 1);
        }
}

void
page_fact(struct buf *out, const char *heading, str text)
{
    if (text.len == 0)
        return;
    buf_printf(out, "<tr><th>%s</th><td>", heading);
    page_text(out, text);
    buf_add_text(out, "</td></tr>\n");
}

void
page_bar(struct buf *out, double share, const char *text)
{
    buf_printf(out,
               "<td class=\"bar\"><span class=\"track\"><i style=\"width:"
               "%.1f%%\"></i><span>%s</span></span></td>",
               100 * fmin(1, fmax(0, share)), text);
}
