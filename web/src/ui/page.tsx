import type { JSX } from "solid-js";

/** Content of a page with its margins; `wide` for lists and tables. */
export const Page = (props: { readonly wide?: boolean | undefined; readonly children: JSX.Element }) => (
  <div
    class={`mx-auto flex w-full flex-col gap-5 px-4 py-5 md:px-6 md:py-6 ${props.wide === true ? "max-w-[90rem]" : "max-w-4xl"}`}
  >
    {props.children}
  </div>
);
