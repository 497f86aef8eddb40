// Runs before the first paint, so that no page flashes in the wrong theme or language.
(() => {
  let theme = null;
  let locale = null;
  try {
    theme = localStorage.getItem("aiw.theme");
    locale = localStorage.getItem("aiw.locale");
  } catch {
    // Storage may be switched off: the system's choice applies.
  }
  const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const german = locale ? locale === "de" : /^de\b/i.test(navigator.language || "");
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.documentElement.lang = german ? "de" : "en";
})();
