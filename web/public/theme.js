// Runs before the first paint, so that no page flashes in the wrong theme or language.
(function () {
  var theme = null;
  var locale = null;
  try {
    theme = localStorage.getItem("aiw.theme");
    locale = localStorage.getItem("aiw.locale");
  } catch (_) {
    // Storage may be switched off: the system's choice applies.
  }
  var dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  var german = locale ? locale === "de" : /^de\b/i.test(navigator.language || "");
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.documentElement.lang = german ? "de" : "en";
})();
