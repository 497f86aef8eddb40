/** A process of its own that plays a conversation on until it dies where it was told to. */
import { setFaultPlan } from "@aiw/platform/fault";
import { attach, type ChildOrder } from "./attach.ts";
import { playOut } from "./play.ts";

process.once("message", (message) => {
  const { world, episode, rule } = message as ChildOrder;
  const hands = attach(world);
  setFaultPlan({ rules: [rule] });
  void playOut(hands, episode).then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
process.once("disconnect", () => process.exit(1));
