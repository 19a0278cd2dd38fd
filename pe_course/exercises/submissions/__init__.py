"""Grade a folder of submitted notebooks and files, each in processes of its own.

Three kinds of process, from the one that knows most to the one that is trusted least:

- the command (``pool``, ``report``): starts one grader per submission, writes rows as they come;
- the grader (``grader``): knows the solutions, compares, and never runs a line of the submission;
- the runner (``runner``): runs the submission's code under limits and returns plain values.

So a submission cannot declare itself right: it can only return numbers, and those are compared elsewhere.
"""
