import { render } from "solid-js/web";
import { App } from "./app.tsx";
import { followSystemTheme } from "./data/prefs.ts";
import { watchSession } from "./data/session.ts";
import "./styles/app.css";

const root = document.getElementById("app");
if (root !== null) {
  followSystemTheme();
  watchSession();
  render(() => <App />, root);
}
