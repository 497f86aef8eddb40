import { render } from "solid-js/web";
import { App } from "./app.tsx";
import { followSystemTheme } from "./data/prefs.ts";
import { watchSession } from "./data/session.ts";
import "./styles/app.css";

/** An address that cannot be decoded is one that leads nowhere; the router would fail on it. */
const leaveBrokenAddress = (): void => {
  try {
    decodeURI(location.pathname);
  } catch {
    history.replaceState(null, "", "/not-found");
  }
};

const root = document.getElementById("app");
if (root !== null) {
  leaveBrokenAddress();
  followSystemTheme();
  watchSession();
  render(() => <App />, root);
}
